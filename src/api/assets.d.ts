/** Files that are embedded into the executable as text. */
declare module "*.css" {
  const text: string;
  export default text;
}
/** Files of packages that are embedded into the executable: the import gives their path. */
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}
