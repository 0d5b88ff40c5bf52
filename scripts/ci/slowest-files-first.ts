/** Runs the slowest test files of each project first, so that none of them starts last and delays the end of the run. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files first, from the table that `.ci/run` prints. A new clone has no recorded durations. */
export const slowFiles = [
  'server/test/money/money.test.ts',
  'server/src/domains/payments/checkout-sessions/card-testing.test.ts',
  'server/test/counters.test.ts',
  'cli/test/triggers.test.ts',
  'server/test/guards/tenancy.test.ts',
  'server/test/commands.test.ts',
  'server/test/hostile/logs.test.ts',
  'server/src/domains/webhooks/deliveries/failures.test.ts',
  'server/src/domains/billing/dunning-campaigns/routes.test.ts',
  'server/src/domains/billing/subscriptions/payment-in-progress.test.ts',
  'server/test/guards/loop-delay.test.ts',
]

export class SlowestFilesFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const byProject = Map.groupBy(sorted, ({ project }) => project.name)
    return [...byProject.values()].flatMap((projectFiles) =>
      projectFiles.toSorted((a, b) => rankOf(a) - rankOf(b)),
    )
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = slowFiles.findIndex((file) => moduleId.endsWith(`/packages/${file}`))
  return rank === -1 ? slowFiles.length : rank
}
