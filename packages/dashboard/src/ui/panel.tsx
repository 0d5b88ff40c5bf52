/** The layout components of a page. */
import type { ReactNode } from 'react'
import { PageLink } from './link.tsx'

export type Crumb = { readonly text: string; readonly to?: string }

/** The head of a page: breadcrumbs, title and actions. */
export function PageHead(props: {
  crumbs?: readonly Crumb[]
  title: ReactNode
  titleExtra?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}) {
  return (
    <header className="mb-4">
      {props.crumbs !== undefined && <Crumbs crumbs={props.crumbs} />}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-center gap-3">
          <h1 className="min-w-0 text-title font-bold break-words">{props.title}</h1>
          {props.titleExtra}
        </div>
        <div className="flex flex-wrap items-center gap-2">{props.actions}</div>
      </div>
      {props.children}
    </header>
  )
}

function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb" className="mb-2 text-ink2">
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
  titleExtra?: ReactNode
  children: ReactNode
  flush?: boolean
}) {
  return (
    <section className="min-w-0 rounded-panel border border-line bg-surface">
      {props.title !== undefined && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-1.5">
          <h2 className="font-bold">{props.title}</h2>
          <div className="flex flex-wrap items-center gap-2 text-ink2">{props.titleExtra}</div>
        </div>
      )}
      <div className={props.flush ? '' : 'p-4'}>{props.children}</div>
    </section>
  )
}

/** A list of names and values. Facts that are null or false are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(80px,auto)_1fr] gap-x-4 gap-y-2">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink2">{name}</dt>
            <dd className="min-w-0 text-right break-words">{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** A sentence that says what happened and why; parts in backquotes are shown as code. */
export function Sentence({ children }: { children: string }) {
  const parts = children.split(/(`[^`]+`)/)
  return (
    <p className="max-w-220 text-sentence">
      {parts.map((part, index) =>
        part.startsWith('`') ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no id.
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
