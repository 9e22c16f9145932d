/** Pages that are embedded into the executable as text. */
declare module "*.md" {
  const text: string;
  export default text;
}
