/** Where the payments of a rule go, as tracks: wide as their share, dashed where failover leads. */
import { Panel } from '../../../ui/panel.tsx'
import { useAccountNames } from '../../accounts.ts'
import { actionText } from './condition-words.ts'
import { type Action, type Definition, idsOf, sharesOf } from './definition.ts'
import type { Chosen } from './rules.tsx'

type Station = { readonly id: string; readonly weight: number; readonly step: number; readonly lane: number }

/** Pure. First those that are asked first, beside each other; behind them, one after another, the rest. */
export function stationsOf(action: Action): readonly Station[] {
  if (action.type === 'decline') return []
  if (action.type === 'priority')
    return idsOf(action).map((id, step) => ({ id, weight: step === 0 ? 100 : 0, step, lane: 0 }))
  const shares = sharesOf(action)
  const first = shares.map(({ provider_account_id: id, weight }, lane) => ({ id, weight, step: 0, lane }))
  const rest = (action.fallback ?? []).map((id, at) => ({
    id,
    weight: 0,
    step: at + 1,
    lane: (shares.length - 1) / 2,
  }))
  return [...first, ...rest]
}

const [width, laneHeight, left] = [368, 64, 40] as const

export function RuleDrawing({ definition, chosen }: { definition: Definition; chosen: Chosen }) {
  const place = typeof chosen?.place === 'number' ? chosen.place : null
  const rule = place === null ? undefined : definition.rules[place]
  const action = rule?.then ?? definition.default
  const title = rule === undefined ? 'Default' : `Rule ${(place ?? 0) + 1}`
  return (
    <Panel title={title} beside="redrawn as you edit">
      <Drawing action={action} />
    </Panel>
  )
}

function Drawing({ action }: { action: Action }) {
  const { nameOf } = useAccountNames()
  const stations = stationsOf(action)
  if (stations.length === 0) return <p className="text-ink2">Nothing is sent to anybody: it is declined.</p>
  const steps = Math.max(...stations.map(({ step }) => step)) + 1
  const lanes = Math.max(...stations.map(({ lane }) => lane)) + 1
  const height = lanes * laneHeight + 16
  const x = ({ step }: Station) =>
    steps === 1 ? width / 2 : left + 70 + (step * (width - left - 130)) / (steps - 1)
  const y = ({ lane }: Station) => 32 + lane * laneHeight
  const middle = 32 + ((lanes - 1) / 2) * laneHeight
  const first = stations.filter(({ step }) => step === 0)
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Payments go to ${actionText(action, nameOf)}`}
      className="w-full"
    >
      <line x1="4" x2={left} y1={middle} y2={middle} strokeWidth="5" className="stroke-ink" />
      {first.map((station) => (
        <path
          key={station.id}
          d={curve(left, middle, x(station), y(station))}
          fill="none"
          strokeWidth={1.5 + station.weight / 25}
          className="stroke-ink"
        />
      ))}
      {stations
        .filter(({ step }) => step > 0)
        .flatMap((station) =>
          stations
            .filter(({ step }) => step === station.step - 1)
            .map((before) => (
              <path
                key={`${before.id} ${station.id}`}
                d={curve(x(before), y(before), x(station), y(station))}
                fill="none"
                strokeWidth="2"
                strokeDasharray="5 4"
                className="stroke-caution-solid"
              />
            )),
        )}
      {stations.map((station) => (
        <g key={`${station.step} ${station.id}`}>
          <circle
            cx={x(station)}
            cy={y(station)}
            r="7"
            strokeWidth="2.5"
            className={`fill-surface ${station.step === 0 ? 'stroke-ink' : 'stroke-caution-solid'}`}
          />
          <text
            x={x(station)}
            y={y(station) + (y(station) > middle ? 22 : -14)}
            textAnchor="middle"
            className="fill-ink text-axis font-bold"
          >
            {nameOf(station.id)}
            {action.type === 'split' && station.step === 0 && ` ${station.weight}%`}
          </text>
        </g>
      ))}
      {steps > 1 && (
        <text x={width - 4} y={height - 4} textAnchor="end" className="fill-ink2 text-axis">
          dashed: when failover allows it
        </text>
      )}
    </svg>
  )
}

function curve(fromX: number, fromY: number, toX: number, toY: number): string {
  const bend = (fromX + toX) / 2
  return `M${fromX} ${fromY}C${bend} ${fromY} ${bend} ${toY} ${toX} ${toY}`
}
