/** Files that are embedded into the executable as text. */
declare module "*.css" {
  const text: string;
  export default text;
}
