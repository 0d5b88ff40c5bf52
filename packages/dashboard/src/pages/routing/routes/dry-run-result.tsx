/** The result of a dry run: payments by account before and after, as bars and as a table. */
import { countText } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { useAccountNames, withNames } from '../../accounts.ts'
import {
  approvalText,
  beforeAfter,
  costDetails,
  costSentence,
  noProvider,
  type Result,
  type Segment,
  settledCostDetails,
  settledCostSentence,
  shareText,
  signed,
  unchanged,
  unrouted,
} from './dry-run-text.ts'

export function DryRunResult({ result }: { result: Result }) {
  const { nameOf } = useAccountNames()
  const { payments, elsewhere: rerouted, approvals } = result
  if (payments === 0) return <p className="text-ink2">There were no payments in this period.</p>
  const { before, after } = beforeAfter(result, nameOf)
  const colorOf = colorsFor([...before, ...after].map(({ name }) => name))
  return (
    <div className="grid gap-4">
      <ul className="flex flex-wrap gap-y-2">
        <Figure figure={unrouted(result).toLocaleString('en')} text="would have no provider" />
        <Figure
          figure={rerouted.toLocaleString('en')}
          text={`would be rerouted (${shareText(rerouted, payments)} of ${countText(payments, 'payment')})`}
        />
        <Figure
          figure={approvals.expected === null ? '–' : signed(approvals.expected.change)}
          text={`expected approvals: ${approvalText(approvals)}`}
        />
      </ul>
      <SettledCosts result={result} />
      <CostChanges result={result} />
      <div className="grid gap-3">
        <Bar label="Before" segments={before} total={payments} colorOf={colorOf} />
        <Bar label="After" segments={after} total={payments} colorOf={colorOf} />
      </div>
      <Moves result={result} />
      <ExamplePayments result={result} />
      <p className="text-compact text-ink2">
        Uses current account settings for both revisions. Provider responses are not simulated: expected
        approvals are estimated from each account’s results with similar cards in this period. Costs now and
        with this route come from the fees in settlement reports, for captured payments, with a 95% interval.
        Estimated costs come from the fees entered for each account, for payments that were approved at the
        first attempt.
      </p>
    </div>
  )
}

function Figure({ figure, text }: { figure: string; text: string }) {
  return (
    <li className="grid max-w-60 min-w-35 border-l border-line px-4 first:border-0 first:pl-0">
      <span className="text-title font-bold">{figure}</span>
      <span className="text-compact text-ink2">{text}</span>
    </li>
  )
}

function SettledCosts({ result: { settled_costs: costs } }: { result: Result }) {
  if (costs.length === 0) return null
  return (
    <ul className="grid gap-1" aria-label="Costs from settlement reports">
      {costs.map((cost) => (
        <li key={cost.currency} className="flex flex-wrap gap-x-2">
          <strong>{settledCostSentence(cost)}</strong>
          <span className="text-ink2">{settledCostDetails(cost)}</span>
        </li>
      ))}
    </ul>
  )
}

function CostChanges({ result: { costs } }: { result: Result }) {
  if (costs.length === 0) return null
  return (
    <ul className="grid gap-1" aria-label="Estimated costs">
      {costs.map((cost) => (
        <li key={cost.currency} className="flex flex-wrap gap-x-2">
          <strong>{costSentence(cost)}</strong>
          <span className="text-ink2">{costDetails(cost)}</span>
        </li>
      ))}
    </ul>
  )
}

const colors = ['bg-info', 'bg-refund', 'bg-ink2', 'bg-edge'] as const

type BarProps = {
  label: string
  segments: readonly Segment[]
  total: number
  colorOf: (name: string) => string
}

function Bar({ label, segments, total, colorOf }: BarProps) {
  const segmentsText = segments.map(({ name, payments }) => `${name} ${payments}`).join(', ')
  return (
    <div className="grid gap-1">
      <div className="flex h-6 gap-px" role="img" aria-label={`${label}: ${segmentsText}`}>
        {segments.map(({ name, payments }) => (
          <span
            key={name}
            title={`${name}: ${payments}`}
            className={`min-w-0.5 ${colorOf(name)}`}
            style={{ width: `${(payments / total) * 100}%` }}
          />
        ))}
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-1 text-compact text-ink2">
        <strong className="text-ink">{label}</strong>
        {segments.map(({ name, payments }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span className={`size-2.5 ${colorOf(name)}`} />
            {name} {payments.toLocaleString('en')}
          </span>
        ))}
      </div>
    </div>
  )
}

/** The same account has the same colour in both bars. */
function colorsFor(all: readonly string[]): (name: string) => string {
  const names = [...new Set(all)].filter((name) => name !== unchanged && name !== noProvider)
  return (name) => {
    if (name === unchanged) return 'bg-line'
    return name === noProvider ? 'bg-danger-solid' : (colors[names.indexOf(name) % colors.length] ?? 'bg-ink')
  }
}

function Moves({ result: { moves } }: { result: Result }) {
  const { nameOf } = useAccountNames()
  const nameOrNone = (id: string | null) => (id === null ? noProvider : nameOf(id))
  if (moves.length === 0) return <p className="text-ink2">No payments would be rerouted.</p>
  return (
    <PlainTable
      label="Rerouted payments"
      rows={moves}
      keyOf={({ from_provider_account_id: from, to_provider_account_id: to }) => `${from} ${to}`}
      columns={[
        {
          title: 'First provider',
          cell: ({ from_provider_account_id: from, to_provider_account_id: to }) =>
            `${nameOrNone(from)} → ${nameOrNone(to)}`,
          phone: true,
        },
        {
          title: 'Payments',
          align: 'right',
          cell: ({ payments }) => payments.toLocaleString('en'),
          phone: true,
        },
        { title: 'Approvals', cell: ({ approvals }) => approvalText(approvals) },
      ]}
    />
  )
}

function ExamplePayments({ result: { examples } }: { result: Result }) {
  const { nameOf } = useAccountNames()
  if (examples.length === 0) return null
  return (
    <details>
      <summary className="cursor-pointer font-bold text-ink2">Examples of rerouted payments</summary>
      <ul className="mt-2 grid gap-1">
        {examples.map(({ payment_id, cause }) => (
          <li key={payment_id} className="flex flex-wrap gap-2">
            <ObjectLink id={payment_id} />
            <span className="text-ink2">{withNames(cause, nameOf)}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
