import type { ReactNode } from 'react'
import type { Tone } from '../format/status.ts'

const tones: { readonly [T in Tone]: string } = {
  success: 'bg-success-soft text-success',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
  info: 'bg-info-soft text-info',
  refund: 'bg-refund-soft text-refund',
  neutral: 'bg-neutral-soft text-neutral',
}

/** An important notice at the top of a page. */
export function Banner({
  tone = 'warning',
  children,
  action,
}: {
  tone?: Tone
  children: ReactNode
  action?: ReactNode
}) {
  return (
    <div
      className={`flex flex-wrap items-center justify-between gap-3 rounded-panel px-4 py-3 ${tones[tone]}`}
    >
      <div className="min-w-0">{children}</div>
      {action}
    </div>
  )
}
