/** The marks of nodes. Each has its own shape, because colour alone is not accessible. */
import type { TimelineNode, TimelineTone } from './timeline-model.ts'

export const toneColors: { readonly [T in TimelineTone]: string } = {
  success: 'var(--color-success-solid)',
  warning: 'var(--color-warning-solid)',
  danger: 'var(--color-danger-solid)',
  info: 'var(--color-info)',
  refund: 'var(--color-refund)',
  neutral: 'var(--color-neutral)',
  ink: 'var(--color-ink)',
}

export const textClasses: { readonly [T in TimelineTone]: string } = {
  success: 'fill-success',
  warning: 'fill-warning',
  danger: 'fill-danger',
  info: 'fill-info',
  refund: 'fill-refund',
  neutral: 'fill-neutral',
  ink: 'fill-ink2',
}

const radius = 7

export function MarkShape(props: { node: TimelineNode; x: number; y: number; isSelected?: boolean }) {
  const { node, x, y, isSelected = false } = props
  const color = toneColors[node.tone]
  const isDone = node.mark === 'done'
  return (
    <g>
      {isSelected && (
        <circle cx={x} cy={y} r={radius + 5} fill="none" strokeWidth="2" className="stroke-info" />
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
