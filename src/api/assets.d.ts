/** Files of packages that are embedded into the executable: the import gives their path. */
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}
