import { defineConfig } from 'vitest/config'

/** The tests of connectors need neither a database nor the pages of the main configuration. */
export default defineConfig({
  test: {
    include: ['packages/server/src/providers/**/*.test.ts'],
    // These tests have mutants of their own, and would detect those instead of the patched guard.
    exclude: ['**/mutants.test.ts'],
    // Generated responses take most of the time, and differ from run to run.
    testNamePattern: /^(?!.*generated responses)/,
    setupFiles: ['packages/server/test/support/seed.ts'],
    isolate: false,
    maxWorkers: 1,
  },
})
