/** The health of a provider account, and its requests by time interval. No side effects. */
import type { ProviderAccount, ProviderAccountHealth } from '@switchyard/sdk'
import type { Cell } from '../../../charts/heat.tsx'
import type { Mark, Tone } from '../../../format/status.ts'
import { dateTimeText } from '../../../format/time.ts'
import { rateOf } from '../../../metrics/rates.ts'

export type AccountHealth = {
  readonly text: 'Healthy' | 'Circuit half-open' | 'Circuit open' | 'On hold' | 'Credentials rejected'
  readonly mark: Mark
  readonly tone: Tone
  readonly reason: string
}

/** The reason why new payments avoid the account: a hold, rejected credentials, or its circuit breaker. */
export function healthOf({ hold, health }: Pick<ProviderAccount, 'hold' | 'health'>): AccountHealth {
  if (hold !== null)
    return {
      text: 'On hold',
      mark: 'bars',
      tone: 'neutral',
      reason: `${hold.reason}. No new payments until ${dateTimeText(hold.until_at)}.`,
    }
  const { breaker, next_probe_at: probe, credentials_refused_since: rejectedSince } = health
  if (rejectedSince !== null)
    return {
      text: 'Credentials rejected',
      mark: 'barred',
      tone: 'danger',
      reason: `The provider has returned 401 or 403 since ${dateTimeText(rejectedSince)}. Check the secret at the provider, or rotate it here.`,
    }
  const next = probe === null ? '' : ` The next probe is at ${dateTimeText(probe)}.`
  const states = [breaker.authorize, breaker.rest]
  const failingOperations = breaker.authorize === 'closed' ? 'captures, voids and refunds' : 'authorizations'
  if (states.includes('open'))
    return {
      text: 'Circuit open',
      mark: 'barred',
      tone: 'danger',
      reason: `Half of the latest ${failingOperations} failed at the provider, so other accounts are tried first.${next}`,
    }
  if (states.includes('probing'))
    return {
      text: 'Circuit half-open',
      mark: 'arrow',
      tone: 'warning',
      reason: `The account is being probed after failures. The circuit closes after three successful requests.${next}`,
    }
  return {
    text: 'Healthy',
    mark: 'disc',
    tone: 'success',
    reason: 'The account receives payments according to the route.',
  }
}

type Counts = ProviderAccount['health']['last_hour']

/** The totals of many intervals. Latencies cannot be added, so they are left out. */
export function totalOf(data: ProviderAccountHealth['data']): Omit<Counts, 'p50_ms'> {
  const sum = { attempts: 0, approved: 0, declined: 0, technical: 0, unknown: 0 }
  for (const step of data)
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += step[name]
  return sum
}

export const ranges = [1, 7, 30] as const
/** About ninety intervals for each range. */
const intervalMinutes: { readonly [Days in (typeof ranges)[number]]: number } = { 1: 15, 7: 120, 30: 480 }

export type Interval = Omit<Counts, 'p50_ms'> & { readonly startMs: number }

/** The whole range in intervals of the same length, including empty ones. */
export function intervalsOf(
  { from, to, data }: Pick<ProviderAccountHealth, 'from' | 'to' | 'data'>,
  days: (typeof ranges)[number],
): readonly Interval[] {
  const ms = intervalMinutes[days] * 60_000
  const first = Math.floor(Date.parse(from) / ms)
  const count = Math.ceil(Date.parse(to) / ms) - first
  const steps = Map.groupBy(data, ({ at }) => Math.floor(Date.parse(at) / ms) - first)
  return Array.from({ length: count }, (_, index) => ({
    startMs: (first + index) * ms,
    ...totalOf(steps.get(index) ?? []),
  }))
}

export function errorCells(intervals: readonly Interval[]): readonly Cell[] {
  return intervals.map(({ startMs, attempts, technical, unknown }) => ({
    label: dateTimeText(startMs).replace(/:\d\d$/, ''),
    rate: rateOf(technical + unknown, attempts),
  }))
}
