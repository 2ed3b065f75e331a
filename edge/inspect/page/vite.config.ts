import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

export default defineConfig({
  // Styles as text in templates would be refused by the content security policy; as properties they are not.
  plugins: [solid({ solid: { inlineStyles: false } as never })],
  // The page lies below a token that is new for each run.
  base: "./",
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Names that stay: the server lists them, and a change of the page is a change of the same files. Nothing is cached across runs.
    rolldownOptions: {
      output: {
        entryFileNames: "assets/page.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/page[extname]",
      },
    },
  },
});
