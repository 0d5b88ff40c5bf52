import { defineConfig } from 'vitest/config'

/**
 * Runs only the generated invoices: without the worked examples, and without the database of the main
 * configuration.
 */
export default defineConfig({
  test: {
    include: ['packages/server/src/kernel/invoice-arithmetic.test.ts'],
    testNamePattern: /generated invoices/,
    testTimeout: 600_000,
    isolate: false,
    maxWorkers: 1,
  },
})
