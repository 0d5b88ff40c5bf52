/** What became of the calls of an account over time: as a strip of failures and as bars. */
import type { ProviderAccount, ProviderAccountHealth } from '@switchyard/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { StackedBars } from '../../../charts/bars.tsx'
import { HeatStrip } from '../../../charts/heat.tsx'
import { clockText, dateText, dayMs } from '../../../format/time.ts'
import { counted } from '../../../format/words.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { approvalOf, cellsOf, percentText, totalOf } from './words.ts'

const lookMs = 15_000
const spans = [1, 7, 30] as const

export function useHealth(id: string, days: number) {
  return useObject<ProviderAccountHealth>(
    ['provider_account', id, 'health', days],
    (api, signal) => {
      const to = new Date()
      const from = new Date(to.getTime() - days * dayMs)
      return api.providerAccounts.health(id, { from, to }, { signal })
    },
    { refetchInterval: lookMs },
  )
}

/** About a hundred cells, whatever the time. */
const cellMsOf = (days: number) => (days * dayMs) / 96

export function Health({ account }: { account: ProviderAccount }) {
  const search: { days?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const days = spans.find((one) => String(one) === search.days) ?? 1
  const health = useHealth(account.id, days)
  const choose = (next: number) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, days: next === 1 ? undefined : String(next) })) as never,
      replace: true,
      resetScroll: false,
    })
  return (
    <Panel
      title="Health"
      beside={spans.map((span) => (
        <button
          key={span}
          type="button"
          aria-pressed={days === span}
          onClick={() => choose(span)}
          className="min-h-6 rounded-control border border-edge px-2 text-compact aria-pressed:bg-ink aria-pressed:text-surface max-md:min-h-11"
        >
          {span === 1 ? '24 hours' : `${span} days`}
        </button>
      ))}
    >
      <Loaded of={health}>{(shown) => <Shown health={shown} days={days} />}</Loaded>
    </Panel>
  )
}

const series = [
  { name: 'Approved', color: 'clear-solid' },
  { name: 'Declined', color: 'ink2' },
  { name: 'Failed at the provider', color: 'danger-solid' },
  { name: 'Unknown', color: 'caution-solid' },
] as const

function Shown({ health, days }: { health: ProviderAccountHealth; days: number }) {
  const total = totalOf(health.data)
  return (
    <div className="grid gap-4">
      <p>{totalText(total)}</p>
      <HeatStrip label="Share of failures over time" cells={cellsOf(health, cellMsOf(days))} />
      {health.data.length > 0 && (
        <StackedBars label="Attempts over time" series={series} bars={barsOf(health, days)} />
      )}
    </div>
  )
}

function totalText(total: ReturnType<typeof totalOf>): string {
  if (total.attempts === 0) return 'Nothing was sent there in this time.'
  const approved = percentText(approvalOf({ ...total, p50_ms: null }))
  const failed = `${total.technical.toLocaleString('en')} failed at the provider`
  const unknown = `${total.unknown.toLocaleString('en')} ended unknown`
  return `${counted(total.attempts, 'attempt')}, ${approved} approved. ${failed}, ${unknown}.`
}

function barsOf({ data }: ProviderAccountHealth, days: number) {
  return data.map(({ at, approved, declined, technical, unknown }) => ({
    label: days === 1 ? clockText(at).slice(0, 5) : `${dateText(at)}, ${clockText(at).slice(0, 5)}`,
    values: [approved, declined, technical, unknown],
  }))
}
