// How the dashboard is built: hashed files below /assets/, one chunk for each part of it, nothing from elsewhere.

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
    // The helper that loads chunks early would write markup, which the policy of the page forbids.
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    emptyOutDir: true,
  },
})
