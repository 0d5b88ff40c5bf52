/** How a provider account fares, in words and figures. Pure. */
import type { PaymentsReport, ProviderAccount, ProviderAccountHealth } from '@switchyard/sdk'
import type { Cell } from '../../../charts/heat.tsx'
import type { Mark, Tone } from '../../../format/status.ts'
import { dateTimeText } from '../../../format/time.ts'

export type Standing = {
  readonly text: 'Closed' | 'Half open' | 'Open' | 'Held'
  readonly mark: Mark
  readonly tone: Tone
  readonly reason: string
}

/** What stands between it and new payments: a hold by somebody, or its breaker. */
export function standingOf({ hold, health }: Pick<ProviderAccount, 'hold' | 'health'>): Standing {
  if (hold !== null)
    return {
      ...{ text: 'Held', mark: 'bars', tone: 'idle' },
      reason: `${hold.reason}. Until ${dateTimeText(hold.until_at)} it gets no new payments.`,
    }
  const { breaker, next_probe_at: probe } = health
  const next = probe === null ? '' : ` It is asked again at ${dateTimeText(probe)}.`
  const states = [breaker.authorize, breaker.rest]
  const lane = breaker.authorize === 'closed' ? 'captures, voids and refunds' : 'authorizations'
  if (states.includes('open'))
    return {
      ...{ text: 'Open', mark: 'barred', tone: 'danger' },
      reason: `Half of the latest ${lane} failed at the provider, so payments go elsewhere first.${next}`,
    }
  if (states.includes('probing'))
    return {
      ...{ text: 'Half open', mark: 'arrow', tone: 'caution' },
      reason: `It is tried out after it failed, and closes after three good results.${next}`,
    }
  return { text: 'Closed', mark: 'disc', tone: 'clear', reason: 'Payments go there as the route says.' }
}

type Counts = ProviderAccount['health']['last_hour']

/** Of all that ended, how much was approved. Null: nothing ended. */
export function approvalOf(counts: Counts): number | null {
  const ended = counts.approved + counts.declined + counts.technical + counts.unknown
  return ended === 0 ? null : counts.approved / ended
}

export function percentText(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(1).replace(/\.0$/, '')}%`
}

/** Sums of many steps. Latencies cannot be added, so they are left out. */
export function totalOf(data: ProviderAccountHealth['data']): Omit<Counts, 'p50_ms'> {
  const sum = { attempts: 0, approved: 0, declined: 0, technical: 0, unknown: 0 }
  for (const step of data)
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += step[name]
  return sum
}

/** One cell for each stretch from the first to the last, also where nothing was asked. */
export function cellsOf({ from, to, data }: ProviderAccountHealth, cellMs: number): readonly Cell[] {
  const start = Math.floor(Date.parse(from) / cellMs)
  const count = Math.ceil(Date.parse(to) / cellMs) - start
  const steps = Map.groupBy(data, ({ at }) => Math.floor(Date.parse(at) / cellMs) - start)
  return Array.from({ length: count }, (_, at) => {
    const { attempts, technical, unknown } = totalOf(steps.get(at) ?? [])
    return {
      label: dateTimeText((start + at) * cellMs).replace(/:\d\d$/, ''),
      share: attempts === 0 ? null : (technical + unknown) / attempts,
    }
  })
}

export type Reason = { readonly reason: string; readonly count: number }

/** Failed payments by their reason over all stretches and currencies: counts may be added, amounts never are. */
export function reasonsIn(data: PaymentsReport['data'], most = 8): readonly Reason[] {
  const counts = new Map<string, number>()
  for (const { group, failed } of data)
    if (group !== null && failed > 0) counts.set(group, (counts.get(group) ?? 0) + failed)
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, most)
}
