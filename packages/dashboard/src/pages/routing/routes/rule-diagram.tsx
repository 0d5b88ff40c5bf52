/** A diagram of where the payments of a rule go. Line width shows the share; dashed lines show failover. */
import { Panel } from '../../../ui/panel.tsx'
import { useAccountNames } from '../../accounts.ts'
import { actionText } from './condition-text.ts'
import { type Action, type Definition, idsOf, sharesOf } from './definition.ts'
import type { RuleSelection } from './rules.tsx'

type DiagramNode = {
  readonly id: string
  readonly weight: number
  readonly step: number
  readonly row: number
}

/** The accounts tried first are side by side; the others follow in order. Has no side effects. */
export function nodesOf(action: Action): readonly DiagramNode[] {
  if (action.type === 'decline') return []
  if (action.type === 'priority')
    return idsOf(action).map((id, step) => ({ id, weight: step === 0 ? 100 : 0, step, row: 0 }))
  const shares = sharesOf(action)
  const first = shares.map(({ provider_account_id: id, weight }, row) => ({ id, weight, step: 0, row }))
  const rest = (action.fallback ?? []).map((id, position) => ({
    id,
    weight: 0,
    step: position + 1,
    row: (shares.length - 1) / 2,
  }))
  return [...first, ...rest]
}

const [width, rowHeight, left] = [368, 64, 40] as const

export function RuleDiagram({ definition, selection }: { definition: Definition; selection: RuleSelection }) {
  const index = typeof selection?.position === 'number' ? selection.position : null
  const rule = index === null ? undefined : definition.rules[index]
  const action = rule?.then ?? definition.default
  const title = rule === undefined ? 'Default' : `Rule ${(index ?? 0) + 1}`
  return (
    <Panel title={title} titleExtra="updates as you edit">
      <Diagram action={action} />
    </Panel>
  )
}

function Diagram({ action }: { action: Action }) {
  const { nameOf } = useAccountNames()
  const nodes = nodesOf(action)
  if (nodes.length === 0) return <p className="text-ink2">The payment is declined.</p>
  const steps = Math.max(...nodes.map(({ step }) => step)) + 1
  const rows = Math.max(...nodes.map(({ row }) => row)) + 1
  const height = rows * rowHeight + 16
  const x = ({ step }: DiagramNode) =>
    steps === 1 ? width / 2 : left + 70 + (step * (width - left - 130)) / (steps - 1)
  const y = ({ row }: DiagramNode) => 32 + row * rowHeight
  const middle = 32 + ((rows - 1) / 2) * rowHeight
  const first = nodes.filter(({ step }) => step === 0)
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Payments go to ${actionText(action, nameOf)}`}
      className="w-full"
    >
      <line x1="4" x2={left} y1={middle} y2={middle} strokeWidth="5" className="stroke-ink" />
      {first.map((node) => (
        <path
          key={node.id}
          d={curve(left, middle, x(node), y(node))}
          fill="none"
          strokeWidth={1.5 + node.weight / 25}
          className="stroke-ink"
        />
      ))}
      {nodes
        .filter(({ step }) => step > 0)
        .flatMap((node) =>
          nodes
            .filter(({ step }) => step === node.step - 1)
            .map((before) => (
              <path
                key={`${before.id} ${node.id}`}
                d={curve(x(before), y(before), x(node), y(node))}
                fill="none"
                strokeWidth="2"
                strokeDasharray="5 4"
                className="stroke-warning-solid"
              />
            )),
        )}
      {nodes.map((node) => (
        <g key={`${node.step} ${node.id}`}>
          <circle
            cx={x(node)}
            cy={y(node)}
            r="7"
            strokeWidth="2.5"
            className={`fill-surface ${node.step === 0 ? 'stroke-ink' : 'stroke-warning-solid'}`}
          />
          <text
            x={x(node)}
            y={y(node) + (y(node) > middle ? 22 : -14)}
            textAnchor="middle"
            className="fill-ink text-axis font-bold"
          >
            {nameOf(node.id)}
            {action.type === 'split' && node.step === 0 && ` ${node.weight}%`}
          </text>
        </g>
      ))}
      {steps > 1 && (
        <text x={width - 4} y={height - 4} textAnchor="end" className="fill-ink2 text-axis">
          dashed: on failover
        </text>
      )}
    </svg>
  )
}

function curve(fromX: number, fromY: number, toX: number, toY: number): string {
  const bend = (fromX + toX) / 2
  return `M${fromX} ${fromY}C${bend} ${fromY} ${bend} ${toY} ${toX} ${toY}`
}
