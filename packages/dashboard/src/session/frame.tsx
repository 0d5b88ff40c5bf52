/** The layout of the pages for people who are not signed in. */
import type { ReactNode } from 'react'

export function OutsideFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="mx-auto grid min-h-dvh max-w-100 content-center gap-6 p-4">
      <p className="flex items-center gap-3 font-bold">
        <svg width="28" height="18" viewBox="0 0 22 14" aria-hidden="true">
          <path d="M1 12h20M6 12c5 0 5-9 10-9h5" fill="none" stroke="currentColor" strokeWidth="2" />
        </svg>
        Switchyard
      </p>
      <div className="grid gap-4 rounded-panel border border-line bg-surface p-6">
        <h1 className="text-section font-bold">{title}</h1>
        {children}
      </div>
    </main>
  )
}
