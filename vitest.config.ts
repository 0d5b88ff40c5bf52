import { defineConfig } from 'vitest/config'

// Flows run real processes, kill them and measure how long recovery takes: one file at a time, after all
// others, so that neither disturbs the other.
const flows = 'packages/{server,cli}/test/flows/**/*.test.ts'
// A browser takes both cores, and what it shows depends on nobody else taking them.
const pages = 'packages/server/test/pages/**/*.test.ts'
// Each file has a database and apps of its own, and leaves nothing behind in its process. So one process may run
// many: what they import, nearly the whole server, is read once and not for each file.
const domains = 'packages/server/src/domains/**/*.test.ts'

export default defineConfig({
  test: {
    globalSetup: [
      'packages/checkout/build.ts',
      'packages/dashboard/build.ts',
      'packages/docs/build.ts',
      'packages/server/test/support/global-setup.ts',
    ],
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
          exclude: [domains, flows, pages, '**/node_modules/**'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'domains', include: [domains], isolate: false, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: 'flows', include: [flows], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'pages',
          include: [pages],
          maxWorkers: 1,
          // One after the other in one worker: what they import is the same, and is read once.
          isolate: false,
          testTimeout: 60_000,
          expect: { poll: { timeout: 10_000 } },
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
