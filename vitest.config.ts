import { defineConfig } from 'vitest/config'
import { SlowestFilesFirstSequencer } from './scripts/ci/slowest-files-first.ts'

// Flow tests start and kill real processes. Flows that measure durations, and loop-delay, are in the project
// `timing`, which runs one file at a time, so that no other test affects the measurements.
const flows =
  'packages/{server,cli}/test/flows/{announcements,billing-year,development,example-*,guide,listen-killed,move-drill,payments-*,peers,provider-health,region-drill,renewals,requests,restore-drill,results-during-moves,shards,upgrade-drill,webhooks-{changes,crashes,faults}}.test.ts'
const allFlows = 'packages/{server,cli}/test/flows/**/*.test.ts'
const loopDelay = 'packages/server/test/guards/loop-delay.test.ts'
// Tests in a browser. They depend on timing, so they run after the others.
const pages = 'packages/server/test/pages/**/*.test.ts'
const domains = 'packages/server/src/domains/**/*.test.ts'

export default defineConfig({
  test: {
    globalSetup: [
      'packages/checkout/build.ts',
      'packages/dashboard/build.ts',
      'packages/docs/build.ts',
      'packages/server/test/support/global-setup.ts',
    ],
    setupFiles: ['packages/server/test/support/seed.ts', 'packages/server/test/support/drop-databases.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // The longest time that a test waits for background work. Polling ends as soon as the expectation is met.
    expect: { poll: { timeout: 10_000 } },
    // Each file has a database and apps of its own, and leaves nothing behind in its process. So one process can
    // run many files (isolate: false), and imports nearly the whole server only once.
    // On two cores vitest would use only one worker, but PostgreSQL waits more than it computes.
    maxWorkers: 2,
    sequence: { sequencer: SlowestFilesFirstSequencer },
    projects: [
      {
        extends: true,
        test: {
          name: 'general',
          include: ['packages/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [domains, allFlows, loopDelay, pages, '**/node_modules/**'],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'domains', include: [domains], isolate: false, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: 'flows', include: [flows], isolate: false, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'timing',
          include: [allFlows, loopDelay],
          exclude: [flows],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'pages',
          include: [pages],
          isolate: false,
          testTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
