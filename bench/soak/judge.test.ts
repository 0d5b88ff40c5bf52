import { describe, expect, test } from 'vitest'
import { findSoakViolations, type Interval, type Limits, type Requests } from './judge.ts'

const limits: Limits = { p99Ms: 500, ratePerSecond: 50, steadyProcesses: ['api', 'worker'] }
const requests: Requests = {
  due: 400,
  answered: 400,
  latenciesMs: Array.from({ length: 300 }, () => 20),
  failures: [],
}

/** `change` receives the number of the interval, and returns the values that differ from a steady run. */
function run(change: (nth: number) => Partial<Interval> = () => ({}), count = 12): Interval[] {
  return Array.from({ length: count }, (_, nth) => ({
    atSeconds: (nth + 1) * 5,
    seconds: 5,
    p50Ms: 20,
    p99Ms: 40,
    payments: 250,
    sentLateP99Ms: 1,
    deliveriesPerSecond: 313,
    lagP50Ms: 30,
    lagP99Ms: 90,
    memoryMb: { api: 200, worker: 220 },
    cpuMs: { api: 2_000, worker: 1_000 },
    pendingDeliveries: 10 + (nth % 3),
    openOperations: 2,
    oldestDueSeconds: 0,
    databaseBytes: 1e8 + nth * 1e7,
    walBytes: nth * 1e7,
    ...change(nth),
  }))
}

test('a steady run has no violations, although its database grows', () => {
  expect(findSoakViolations(run(), requests, limits)).toEqual([])
})

test('one bad interval is not growth', () => {
  const spike = run((nth) =>
    nth === 10 ? { pendingDeliveries: 9_000, memoryMb: { api: 900, worker: 900 }, lagP99Ms: 60_000 } : {},
  )

  expect(findSoakViolations(spike, requests, limits)).toEqual([])
})

describe('a violation is', () => {
  // biome-ignore format: a table.
  test.each<[string, Interval[], Requests, string]>([
    ['memory that grows',            run((nth) => ({ memoryMb: { api: 200, worker: 220 + nth * 12 } })),  requests, 'The memory of worker grew from 238 to 334 MB; 317.6 MB are allowed.'],
    ['memory that was not measured', run(() => ({ memoryMb: { api: 200 } })),                             requests, 'The memory of worker grew from NaN'],
    ['undelivered events that grow', run((nth) => ({ pendingDeliveries: nth * 100 })),                    requests, 'The number of undelivered events grew from 150 to 950; 776 is allowed.'],
    ['open operations that grow',    run((nth) => ({ openOperations: nth * 20 })),                        requests, 'The number of open operations grew'],
    ['work that is more and more overdue', run((nth) => ({ oldestDueSeconds: nth * 2 })),                 requests, 'The age of the oldest due work in seconds grew'],
    ['deliveries that are more and more late', run((nth) => ({ lagP99Ms: nth * 400 })),                   requests, 'The p99 delay of deliveries in ms grew'],
    ['a slow p99',                   run(), { ...requests, latenciesMs: requests.latenciesMs.map((ms, nth) => (nth < 6 ? 501 : ms)) }, 'The p99 of POST /payments is 501 ms; the limit is 500 ms.'],
    ['a failed request',             run(), { ...requests, failures: ['POST /refunds: 503'] },              '1 requests failed.'],
    ['a request without a response', run(), { ...requests, due: 401 },                                      '400 of 401 payments got a response.'],
    ['a run without requests',       run(), { due: 0, answered: 0, latenciesMs: [], failures: [] },                      'The p99 of POST /payments is NaN ms'],
    ['a run that is too short',      run(() => ({}), 8), requests,                                          'There are 8 intervals.'],
  ])('%s', (_, intervals, measured, violation) => {
    expect(findSoakViolations(intervals, measured, limits)).toContainEqual(expect.stringContaining(violation))
  })
})
