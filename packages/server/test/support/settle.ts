// Runs due work for tests, but only in the workspaces of the running test. Otherwise every test would also
// run the work that earlier tests left in the same database, such as a year of renewals after the clock was
// advanced.

import { afterEach, beforeEach } from 'vitest'
import type { Deps, WorkType } from '../../src/deps.ts'
import { workTypes as allWorkTypes } from '../../src/work-types.ts'
import { runAllDueWork } from './run-all-due-work.ts'

/** The id of the running test. Null outside of tests, and while tests run concurrently. */
let runningTest: string | null = null

/**
 * The id of the test that created each workspace. Work of workspaces that no test has created always runs.
 */
const testOfWorkspace = new Map<string, string>()

export function watchTestsOfThisFile(): void {
  beforeEach(({ task }) => {
    runningTest = task.concurrent ? null : task.id
  })
  afterEach(() => {
    runningTest = null
  })
}

/** Assigns a workspace to the test that creates it. */
export function assignToRunningTest(workspaceId: string): void {
  if (runningTest !== null) testOfWorkspace.set(workspaceId, runningTest)
}

export function settleThisTest(deps: Deps, workTypes: readonly WorkType[] = allWorkTypes): Promise<void> {
  const filtered = filteredTypes.get(workTypes) ?? workTypes.map(filterDueWork)
  filteredTypes.set(workTypes, filtered)
  return runAllDueWork(deps, filtered)
}

const filteredTypes = new WeakMap<readonly WorkType[], readonly WorkType[]>()

/** High enough to include the work that earlier tests of the file left. */
const maxDue = 100_000

function filterDueWork(work: WorkType): WorkType {
  return {
    ...work,
    due: async (db, now, limit) => (await work.due(db, now, maxDue)).filter(isIncluded).slice(0, limit),
  }
}

function isIncluded({ workspaceId }: { readonly workspaceId: string }): boolean {
  const testId = testOfWorkspace.get(workspaceId)
  return testId === undefined || runningTest === null || testId === runningTest
}
