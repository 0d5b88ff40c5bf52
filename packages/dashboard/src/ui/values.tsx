/** Values in tables and detail lists: money, times, ids. */
import { Check, Copy as CopyIcon } from 'lucide-react'
import { useState } from 'react'
import { moneyText } from '../format/money.ts'
import { shortId } from '../format/text.ts'
import { dateText, dateTimeText, dueText, durationText, relativeText } from '../format/time.ts'

export function Money({
  amount,
  currency,
  showCode = false,
}: {
  amount: number
  currency: string
  showCode?: boolean
}) {
  return (
    <span className="tabular-nums whitespace-nowrap">
      {moneyText(amount, currency)}
      {showCode && <span className="text-ink3"> {currency.toUpperCase()}</span>}
    </span>
  )
}

/**
 * Relative within a day, with the full time on hover and for screen readers. The time of a test clock is shown as a
 * date with a label, because it is not comparable with the current time.
 */
export function Time(props: { at: string | null; exact?: boolean; clock?: string | null | undefined }) {
  const { at, exact = false, clock = null } = props
  if (at === null) return <span className="text-ink3">–</span>
  if (clock !== null)
    return (
      <time dateTime={at} title={`${dateTimeText(at, true)} UTC, test clock`} className="whitespace-nowrap">
        {exact ? dateTimeText(at) : dateText(at)} <span className="text-ink3">test clock</span>
      </time>
    )
  return (
    <time
      dateTime={at}
      title={`${dateTimeText(at)} · ${dateTimeText(at, true)} UTC`}
      className="whitespace-nowrap"
    >
      {exact ? dateTimeText(at) : relativeText(at)}
    </time>
  )
}

/** A scheduled time. If it has passed, it is shown as due, not as past. */
export function DueTime({ at, clock = null }: { at: string | null; clock?: string | null | undefined }) {
  if (at === null || clock !== null) return <Time at={at} clock={clock} />
  return (
    <time dateTime={at} title={`${dateTimeText(at)} · ${dateTimeText(at, true)} UTC`}>
      {dueText(at)}
    </time>
  )
}

export function Duration({ ms }: { ms: number }) {
  return <span className="whitespace-nowrap">{durationText(ms)}</span>
}

export function Id({ id, full = false }: { id: string; full?: boolean }) {
  return (
    <span className="font-mono text-compact break-all" title={id}>
      {full ? id : shortId(id)}
    </span>
  )
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={isCopied ? 'Copied' : label}
      className="inline-flex min-h-6 items-center gap-1 rounded-control border border-edge bg-surface px-2 text-compact font-bold hover:bg-sunken"
    >
      {isCopied ? <Check size={14} aria-hidden /> : <CopyIcon size={14} aria-hidden />}
      {isCopied ? 'Copied' : label}
    </button>
  )
}
