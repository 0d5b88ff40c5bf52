/** The parts a page is made of. */
import type { ReactNode } from 'react'
import { PageLink } from './link.tsx'

export type Crumb = { readonly text: string; readonly to?: string }

/** The top of a page: where one is, what it is, what one can do with it. */
export function PageHead(props: {
  crumbs?: readonly Crumb[]
  title: ReactNode
  beside?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}) {
  return (
    <header className="mb-4">
      {props.crumbs !== undefined && <Crumbs crumbs={props.crumbs} />}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-center gap-3">
          <h1 className="min-w-0 text-title font-bold break-words">{props.title}</h1>
          {props.beside}
        </div>
        <div className="flex flex-wrap items-center gap-2">{props.actions}</div>
      </div>
      {props.children}
    </header>
  )
}

function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Where you are" className="mb-2 text-ink2">
      {crumbs.map(({ text, to }, index) => (
        <span key={text}>
          {index > 0 && ' / '}
          {to === undefined ? (
            <span className="font-mono text-compact break-all">{text}</span>
          ) : (
            <PageLink to={to}>{text}</PageLink>
          )}
        </span>
      ))}
    </nav>
  )
}

export function Panel(props: {
  title?: ReactNode
  beside?: ReactNode
  children: ReactNode
  flush?: boolean
}) {
  return (
    <section className="min-w-0 rounded-panel border border-line bg-surface">
      {props.title !== undefined && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-1.5">
          <h2 className="font-bold">{props.title}</h2>
          <div className="flex flex-wrap items-center gap-2 text-ink2">{props.beside}</div>
        </div>
      )}
      <div className={props.flush ? '' : 'p-4'}>{props.children}</div>
    </section>
  )
}

/** Name and value, under each other. Facts that are null are left out. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(80px,auto)_1fr] gap-x-4 gap-y-2">
      {of
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink2">{name}</dt>
            <dd className="min-w-0 text-right break-words">{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** What happened and why, in a sentence; what stands in back quotes is a code. */
export function Sentence({ children }: { children: string }) {
  const parts = children.split(/(`[^`]+`)/)
  return (
    <p className="max-w-220 text-sentence">
      {parts.map((part, index) =>
        part.startsWith('`') ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name.
          <code key={index} className="font-mono text-body">
            {part.slice(1, -1)}
          </code>
        ) : (
          part
        ),
      )}
    </p>
  )
}

export function Columns({ main, side }: { main: ReactNode; side: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_300px]">
      <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">{main}</div>
      <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">{side}</div>
    </div>
  )
}
