/** The marks of nodes, each a shape of its own: colour alone tells nobody anything. */
import type { LineNode, LineTone } from './story.ts'

export const solid: { readonly [T in LineTone]: string } = {
  clear: 'var(--color-clear-solid)',
  caution: 'var(--color-caution-solid)',
  danger: 'var(--color-danger-solid)',
  lock: 'var(--color-lock)',
  gate: 'var(--color-gate)',
  idle: 'var(--color-idle)',
  ink: 'var(--color-ink)',
}

export const words: { readonly [T in LineTone]: string } = {
  clear: 'fill-clear',
  caution: 'fill-caution',
  danger: 'fill-danger',
  lock: 'fill-lock',
  gate: 'fill-gate',
  idle: 'fill-idle',
  ink: 'fill-ink2',
}

const radius = 7

export function MarkShape(props: { node: LineNode; x: number; y: number; isChosen?: boolean }) {
  const { node, x, y, isChosen = false } = props
  const color = solid[node.tone]
  const isDone = node.mark === 'done'
  return (
    <g>
      {isChosen && (
        <circle cx={x} cy={y} r={radius + 5} fill="none" strokeWidth="2" className="stroke-lock" />
      )}
      <circle
        cx={x}
        cy={y}
        r={radius}
        stroke={color}
        strokeWidth="3"
        strokeDasharray={node.mark === 'waiting' ? '4 3' : undefined}
        fill={isDone ? color : 'var(--color-surface)'}
      />
      {node.mark === 'failed' && (
        <line x1={x - radius} x2={x + radius} y1={y} y2={y} stroke={color} strokeWidth="3" />
      )}
    </g>
  )
}
