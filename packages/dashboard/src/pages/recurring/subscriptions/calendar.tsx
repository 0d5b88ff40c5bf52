/** The coming charges, month by month. */
import type { Subscription } from '@switchyard/sdk'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { comingCharges, type Day } from './coming.ts'

/** A daily plan has so many in a year. */
const most = 366

export function Calendar({ subscription, amount }: { subscription: Subscription; amount: string | null }) {
  const days = comingCharges(subscription, most)
  const months = Map.groupBy(days, (day) => day.slice(0, 7))
  const zone = subscription.anchor?.time_zone ?? 'UTC'
  return (
    <Panel title="Coming charges" beside={`as far as is known now · dates of ${zone}`} flush>
      {days.length === 0 ? (
        <Empty title="Nothing will be charged by itself." />
      ) : (
        <ol className="grid grid-cols-2 sm:grid-cols-3 md:grid-cols-4">
          {[...months].slice(0, 12).map(([month, inMonth], index) => (
            <li key={month} className="-mb-px border-r border-b border-line px-4 py-3">
              <p className="text-compact text-ink2">{monthText(month)}</p>
              <p className="font-bold">{daysText(inMonth)}</p>
              <p className="text-compact text-ink2">
                {index === 0 && amount !== null ? amount : expected(inMonth.length)}
              </p>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

function expected(charges: number): string {
  return charges === 1 ? 'expected' : `${charges} charges expected`
}

function monthText(month: string): string {
  const format = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat('en-GB', format).format(new Date(`${month}-01`))
}

function daysText(days: readonly Day[]): string {
  const numbers = days.map((day) => Number(day.slice(-2)))
  return numbers.length > 6 ? `the ${numbers[0]} to the ${numbers.at(-1)}` : `on the ${numbers.join(', ')}`
}
