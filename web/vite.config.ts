/// <reference types="vitest/config" />
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compression } from "vite-plugin-compression2";

const master = process.env.CRAWLMESH_URL ?? "http://127.0.0.1:8000"; // for `npm run dev`

export default defineConfig({
  plugins: [react(), compression({ algorithms: ["gzip", "brotliCompress"], threshold: 1024 })],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: "../src/crawlmesh/web",
    emptyOutDir: true,
    assetsInlineLimit: 0, // nothing inline: the server allows only files of its own
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/api": master, "/docs": master, "/health": master, "/openapi.json": master } },
  test: {
    environment: "happy-dom",
    setupFiles: ["src/test/setup.ts"],
    isolate: false, // the set-up leaves each test a clean page; a new world for each file took most of the time
    restoreMocks: true,
    testTimeout: 30_000, // milliseconds; machines may be busy
  },
});
