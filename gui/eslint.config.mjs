// What the checks of types can't see: hooks in order, promises that nobody waits for, long files.
import hooks from "eslint-plugin-react-hooks";
import typescript from "typescript-eslint";

export default typescript.config(
  {ignores: ["build/", "node_modules/"]},
  ...typescript.configs.strict,
  {
    files: ["src/**/*.ts", "src/**/*.tsx", "test/**/*.ts"],
    plugins: {"react-hooks": hooks},
    languageOptions: {parserOptions: {projectService: true}},
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "react-hooks/rules-of-hooks": "error",
      "max-lines": ["error", {max: 400}],
      "no-restricted-properties": [
        "error",
        {property: "innerHTML", message: "what a peer sent is text, never markup"},
        {property: "outerHTML", message: "what a peer sent is text, never markup"},
      ],
      "no-restricted-syntax": [
        "error",
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: "what a peer sent is text, never markup",
        },
      ],
    },
  },
  {files: ["test/**/*.ts"], rules: {"@typescript-eslint/no-floating-promises": "off"}},
);
