// The build of the dashboard: hashed files below /assets/, one chunk for each page, no files from other origins.

import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  logLevel: 'warn',
  plugins: [react(), tailwind()],
  build: {
    target: ['es2023', 'chrome111', 'firefox114', 'safari16.4'],
    // The preload helper would insert inline markup, which the content security policy of the page forbids.
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    emptyOutDir: true,
  },
})
