/** Meters and usage in words. */
import type { Meter } from '@switchyard/sdk'

const texts: { readonly [A in Meter['aggregation']]: string } = {
  sum: 'Sum of the values',
  count: 'Number of events',
  max: 'Largest value',
  last: 'Last value',
  unique: 'Distinct values',
}

export const aggregationOptions = Object.entries(texts).map(([value, text]) => ({ value, text }))

/** "Distinct values of user". */
export function aggregationText({ aggregation, value_key: key }: Pick<Meter, 'aggregation' | 'value_key'>) {
  return key === null ? texts[aggregation] : `${texts[aggregation]} of ${key}`
}

/** A decimal of any length, with separators: "1,234.5". */
export function usageText(value: string): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(value) ?? []
  return `${sign}${BigInt(whole).toLocaleString('en')}${fraction}`
}

/** "region eu, tier pro", in the order of the meter. */
export function groupText(
  names: readonly string[],
  dimensions: { readonly [name: string]: unknown },
): string {
  return names.map((name) => `${name} ${String(dimensions[name] || '(empty)')}`).join(', ')
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export const rangeOptions = ['24_hours', '7_days', '30_days', '90_days'] as const
const rangeDays: { readonly [range: string]: number } = {
  '24_hours': 1,
  '7_days': 7,
  '30_days': 30,
  '90_days': 90,
}

export type ReportPeriod = {
  readonly from: string
  readonly to: string
  readonly interval: 'hour' | 'day'
}

/** A day by the hour, or several days in UTC. The current hour or day is included. */
export function periodOf(range: string, nowMs: number): ReportPeriod {
  const days = rangeDays[range] ?? 30
  const interval = days === 1 ? 'hour' : 'day'
  const unitMs = days === 1 ? hourMs : dayMs
  const endMs = (Math.floor(nowMs / unitMs) + 1) * unitMs
  const [from, to] = [endMs - days * dayMs, endMs].map((ms) => new Date(ms).toISOString())
  return { from: from as string, to: to as string, interval }
}
