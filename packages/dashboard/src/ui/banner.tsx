import type { ReactNode } from 'react'
import type { Tone } from '../format/status.ts'

const tones: { readonly [T in Tone]: string } = {
  clear: 'bg-clear-soft text-clear',
  caution: 'bg-caution-soft text-caution',
  danger: 'bg-danger-soft text-danger',
  lock: 'bg-lock-soft text-lock',
  gate: 'bg-gate-soft text-gate',
  idle: 'bg-idle-soft text-idle',
}

/** What somebody should know before they go on reading. */
export function Banner({
  tone = 'caution',
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
