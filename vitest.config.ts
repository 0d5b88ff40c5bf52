import { defineConfig } from 'vitest/config'

// Flows run real processes, kill them and measure how long recovery takes: one file at a time, after all
// others, so that neither disturbs the other.
const flows = 'packages/server/test/flows/**/*.test.ts'

export default defineConfig({
  test: {
    globalSetup: ['packages/server/test/support/global-setup.ts'],
    setupFiles: ['packages/server/test/support/seed.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // With two cores vitest would take one worker; Postgres waits more than it computes.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'front door',
          include: ['packages/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [flows, '**/node_modules/**'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'flows', include: [flows], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
