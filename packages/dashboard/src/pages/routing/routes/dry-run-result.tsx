/** What goes where before and after, as bars, with a table of the same. */
import { counted } from '../../../format/words.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { useAccountNames, withNames } from '../../accounts.ts'
import {
  approvalText,
  beforeAfter,
  nobody,
  type Result,
  type Segment,
  same,
  shareText,
  signed,
  unrouted,
} from './dry-run-words.ts'

export function DryRunResult({ result }: { result: Result }) {
  const { nameOf } = useAccountNames()
  const { payments, elsewhere, approvals } = result
  if (payments === 0) return <p className="text-ink2">There were no payments in this time.</p>
  const { before, after } = beforeAfter(result, nameOf)
  const colorOf = colorsFor([...before, ...after].map(({ name }) => name))
  return (
    <div className="grid gap-4">
      <ul className="flex flex-wrap gap-y-2">
        <Figure figure={unrouted(result).toLocaleString('en')} text="would be left without a provider" />
        <Figure
          figure={elsewhere.toLocaleString('en')}
          text={`would start elsewhere (${shareText(elsewhere, payments)} of ${counted(payments, 'payment')})`}
        />
        <Figure
          figure={approvals.expected === null ? '–' : signed(approvals.expected.change)}
          text={`approvals to expect: ${approvalText(approvals)}`}
        />
      </ul>
      <div className="grid gap-3">
        <Bar label="Before" segments={before} total={payments} colorOf={colorOf} />
        <Bar label="After" segments={after} total={payments} colorOf={colorOf} />
      </div>
      <Moves result={result} />
      <Samples result={result} />
      <p className="text-compact text-ink2">
        Both revisions decide by the accounts of now. What a provider would have answered is never known; what
        is expected comes from how each account fared with cards of the same kind in this time.
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

const colors = ['bg-lock', 'bg-gate', 'bg-ink2', 'bg-edge'] as const

type BarProps = {
  label: string
  segments: readonly Segment[]
  total: number
  colorOf: (name: string) => string
}

function Bar({ label, segments, total, colorOf }: BarProps) {
  const words = segments.map(({ name, payments }) => `${name} ${payments}`).join(', ')
  return (
    <div className="grid gap-1">
      <div className="flex h-6 gap-px" role="img" aria-label={`${label}: ${words}`}>
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
  const names = [...new Set(all)].filter((name) => name !== same && name !== nobody)
  return (name) => {
    if (name === same) return 'bg-line'
    return name === nobody ? 'bg-danger-solid' : (colors[names.indexOf(name) % colors.length] ?? 'bg-ink')
  }
}

function Moves({ result: { moves } }: { result: Result }) {
  const { nameOf } = useAccountNames()
  const place = (id: string | null) => (id === null ? nobody : nameOf(id))
  if (moves.length === 0) return <p className="text-ink2">Every payment would go where it went.</p>
  return (
    <PlainTable
      label="What would move"
      rows={moves}
      keyOf={({ from_provider_account_id: from, to_provider_account_id: to }) => `${from} ${to}`}
      columns={[
        {
          title: 'First provider',
          cell: ({ from_provider_account_id: from, to_provider_account_id: to }) =>
            `${place(from)} → ${place(to)}`,
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

function Samples({ result: { examples } }: { result: Result }) {
  const { nameOf } = useAccountNames()
  if (examples.length === 0) return null
  return (
    <details>
      <summary className="cursor-pointer font-bold text-ink2">A few payments that would go elsewhere</summary>
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
