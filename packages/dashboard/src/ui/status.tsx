/** A status badge: a shape, a label and a colour. */
import { type Mark, statusStyle, type Tone } from '../format/status.ts'
import { sentenceCase } from '../format/text.ts'

const tones: { readonly [T in Tone]: string } = {
  success: 'text-success bg-success-soft',
  warning: 'text-warning bg-warning-soft',
  danger: 'text-danger bg-danger-soft',
  info: 'text-info bg-info-soft',
  refund: 'text-refund bg-refund-soft',
  neutral: 'text-neutral bg-neutral-soft',
}

export function Status({ status, children }: { status: string; children?: string | undefined }) {
  const { mark, tone } = statusStyle(status) ?? { mark: 'ring', tone: 'neutral' }
  return <Chip mark={mark} tone={tone} text={children ?? sentenceCase(status)} />
}

export function Chip({ mark, tone, text }: { mark?: Mark; tone: Tone; text: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-chip px-1.5 py-px text-compact font-bold whitespace-nowrap ${tones[tone]}`}
    >
      {mark !== undefined && <StatusMark mark={mark} />}
      {text}
    </span>
  )
}

const stroke = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.6 } as const

/** Drawn in the colour of the text around it. */
export function StatusMark({ mark }: { mark: Mark }) {
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" className="shrink-0">
      {shapes[mark]}
    </svg>
  )
}

const shapes: { readonly [M in Mark]: React.ReactNode } = {
  disc: <circle cx="6" cy="6" r="4.6" fill="currentColor" />,
  arrow: <path d="M1.5 6h8M6.2 2.7 9.6 6 6.2 9.3" {...stroke} />,
  dashed: <circle cx="6" cy="6" r="4.4" strokeDasharray="2.2 1.6" {...stroke} />,
  triangle: <path d="M6 1.8 10.6 10H1.4Z" fill="currentColor" />,
  half: (
    <>
      <circle cx="6" cy="6" r="4.4" {...stroke} />
      <path d="M6 1.6a4.4 4.4 0 0 1 0 8.8Z" fill="currentColor" />
    </>
  ),
  barred: (
    <>
      <circle cx="6" cy="6" r="4.4" {...stroke} />
      <path d="M2.6 6h6.8" {...stroke} />
    </>
  ),
  return: <path d="M9.8 9.5V6.8a2.3 2.3 0 0 0-2.3-2.3H2.4M4.8 1.8 2.1 4.5l2.7 2.7" {...stroke} />,
  bars: <path d="M4 2.2v7.6M8 2.2v7.6" {...stroke} strokeWidth={2} />,
  crossed: (
    <>
      <circle cx="6" cy="6" r="4.4" {...stroke} />
      <path d="m3 3 6 6" {...stroke} />
    </>
  ),
  ring: <circle cx="6" cy="6" r="4.4" {...stroke} />,
}
