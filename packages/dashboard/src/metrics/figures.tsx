/** A figure with its name and a note, and a disclosure that explains how it is counted. */
import type { ReactNode } from 'react'

export function HowCounted({ children }: { children: string }) {
  return (
    <details className="border-t border-line px-4 py-2">
      <summary className="cursor-pointer text-compact font-bold text-ink2 hover:text-ink">
        How is this counted?
      </summary>
      <p className="mt-1 max-w-220 text-ink2">{children}</p>
    </details>
  )
}

/** A figure that can link to its rows. */
export function Figure(props: { name: string; value: ReactNode; note: ReactNode }) {
  return (
    <div className="grid content-start gap-0.5 bg-surface px-4 py-3 max-md:last:odd:col-span-2">
      <dt className="text-compact text-ink2">{props.name}</dt>
      <dd className="text-section font-bold break-words md:text-title">{props.value}</dd>
      <dd className="text-compact text-ink2">{props.note}</dd>
    </div>
  )
}

/** A row of figures, separated by lines. */
export function Figures({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-2 gap-px bg-line md:auto-cols-fr md:grid-flow-col md:grid-cols-none">
      {children}
    </dl>
  )
}
