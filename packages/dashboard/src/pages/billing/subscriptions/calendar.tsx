/** The upcoming charges, month by month. */
import type { Subscription } from '@switchyard/sdk'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Day, upcomingCharges } from './upcoming-charges.ts'

/** The number of charges of a daily plan in a year. */
const maxCharges = 366

export function Calendar({ subscription, amount }: { subscription: Subscription; amount: string | null }) {
  const days = upcomingCharges(subscription, maxCharges)
  const months = Map.groupBy(days, (day) => day.slice(0, 7))
  const zone = subscription.anchor?.time_zone ?? 'UTC'
  return (
    <Panel title="Upcoming charges" titleExtra={`as currently scheduled · dates in ${zone}`} flush>
      {days.length === 0 ? (
        <Empty title="No upcoming charges." />
      ) : (
        <ol className="grid grid-cols-2 sm:grid-cols-3 md:grid-cols-4">
          {[...months].slice(0, 12).map(([month, monthDays], index) => (
            <li key={month} className="-mb-px border-r border-b border-line px-4 py-3">
              <p className="text-compact text-ink2">{monthText(month)}</p>
              <p className="font-bold">{daysText(monthDays)}</p>
              <p className="text-compact text-ink2">
                {index === 0 && amount !== null ? amount : expectedText(monthDays.length)}
              </p>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

function expectedText(charges: number): string {
  return charges === 1 ? 'expected' : `${charges} charges expected`
}

function monthText(month: string): string {
  const format = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat('en-GB', format).format(new Date(`${month}-01`))
}

const suffixes: { readonly [rule: string]: string } = { one: 'st', two: 'nd', few: 'rd' }
const ordinalRules = new Intl.PluralRules('en', { type: 'ordinal' })

/** "1st", "22nd", "13th". */
function ordinal(day: number): string {
  return `${day}${suffixes[ordinalRules.select(day)] ?? 'th'}`
}

function daysText(days: readonly Day[]): string {
  const numbers = days.map((day) => Number(day.slice(-2)))
  return numbers.length > 6
    ? `${ordinal(numbers[0] ?? 1)} to ${ordinal(numbers.at(-1) ?? 1)}`
    : `on the ${numbers.map(ordinal).join(', ')}`
}
