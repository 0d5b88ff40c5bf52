/**
 * Draws the intervals of a soak run as an SVG: one panel per group of figures, over the time of the run. No side
 * effects.
 */
import type { Interval } from './judge.ts'

type Panel = { readonly title: string; readonly lines: Readonly<Record<string, readonly number[]>> }

const [width, height, left, gap] = [900, 150, 70, 50]
const colors = ['#0b62c4', '#c4420b', '#2a8a3e', '#7a3fb0', '#a8861b', '#5b6770', '#b0306f', '#118a8a']

export function drawSoak(intervals: readonly Interval[], title: string): string {
  const seconds = intervals.map(({ atSeconds }) => atSeconds)
  const panels = panelsOf(intervals).map((panel, index) =>
    drawPanel(panel, seconds, 40 + index * (height + gap)),
  )
  const total = 40 + panels.length * (height + gap)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width + left + 20} ${total}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="white"/>
<text x="10" y="20" font-size="15">${title}</text>
${panels.join('\n')}
</svg>
`
}

function panelsOf(intervals: readonly Interval[]): Panel[] {
  const line = (pick: (interval: Interval) => number) => intervals.map(pick)
  const processes = Object.keys(intervals[0]?.memoryMb ?? {})
  const byProcess = (pick: (interval: Interval, name: string) => number) =>
    Object.fromEntries(processes.map((name) => [name, line((interval) => pick(interval, name))]))
  return [
    {
      title: 'POST /payments, ms',
      lines: { p50: line(({ p50Ms }) => p50Ms), p99: line(({ p99Ms }) => p99Ms) },
    },
    {
      title: 'Delay of deliveries, ms',
      lines: { p50: line(({ lagP50Ms }) => lagP50Ms), p99: line(({ lagP99Ms }) => lagP99Ms) },
    },
    {
      title: 'Per second',
      lines: {
        deliveries: line(({ deliveriesPerSecond }) => deliveriesPerSecond),
        payments: line(({ payments, seconds }) => payments / seconds),
      },
    },
    { title: 'Memory, MB', lines: byProcess(({ memoryMb }, name) => memoryMb[name] ?? 0) },
    {
      title: 'CPU, % of one core',
      lines: byProcess(({ cpuMs, seconds }, name) => (cpuMs[name] ?? 0) / (seconds * 10)),
    },
    {
      title: 'Backlog',
      lines: {
        'undelivered events': line(({ pendingDeliveries }) => pendingDeliveries),
        'open operations': line(({ openOperations }) => openOperations),
      },
    },
    {
      title: 'Size, MB',
      lines: {
        database: line(({ databaseBytes }) => databaseBytes / 1e6),
        WAL: line(({ walBytes }) => walBytes / 1e6),
      },
    },
  ]
}

function drawPanel({ title, lines }: Panel, seconds: readonly number[], top: number): string {
  const entries = Object.entries(lines)
  const maximum = Math.max(1e-9, ...entries.flatMap(([, figures]) => figures.filter(Number.isFinite)))
  const end = seconds.at(-1) ?? 1
  const x = (at: number) => left + (at / end) * width
  const y = (figure: number) => top + height - (figure / maximum) * height
  const points = (figures: readonly number[]) =>
    figures
      .map((figure, nth) => [x(seconds[nth] ?? 0), y(Number.isFinite(figure) ? figure : 0)])
      .map(([px = 0, py = 0]) => `${px.toFixed(1)},${py.toFixed(1)}`)
      .join(' ')
  const color = (index: number) => colors[index % colors.length]
  return [
    `<text x="${left}" y="${top - 8}" font-weight="bold">${title}</text>`,
    ...entries.map(
      ([name], index) =>
        `<text x="${left + 190 + index * 95}" y="${top - 8}" fill="${color(index)}">${name}</text>`,
    ),
    `<path d="M${left},${top} V${top + height} H${left + width}" fill="none" stroke="#999"/>`,
    `<text x="${left - 6}" y="${top + 10}" text-anchor="end">${label(maximum)}</text>`,
    `<text x="${left - 6}" y="${top + height}" text-anchor="end">0</text>`,
    `<text x="${left + width}" y="${top + height + 16}" text-anchor="end">${Math.round(end)} s</text>`,
    ...entries.map(
      ([, figures], index) =>
        `<polyline points="${points(figures)}" fill="none" stroke="${color(index)}" stroke-width="1.5"/>`,
    ),
  ].join('\n')
}

const label = (figure: number) => (figure >= 100 ? String(Math.round(figure)) : figure.toFixed(1))
