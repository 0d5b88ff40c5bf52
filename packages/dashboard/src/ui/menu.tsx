/** The three-dots menu of a page, and other menus. */
import { Ellipsis } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'

export type MenuItem = {
  readonly text: string
  readonly onSelect: () => void
  readonly danger?: boolean
  /** Why it cannot be chosen. It stays visible and can be reached, so that the reason can be read. */
  readonly refused?: string | null
}

const read = () => import('./menu-open.tsx')
const OpenMenu = lazy(read)

const look =
  'inline-flex min-h-8 items-center gap-2 rounded-control border border-edge bg-surface px-3 font-bold hover:bg-sunken max-md:min-h-11'

/** A null between items is a line. */
export function Menu(props: { label: string; items: readonly (MenuItem | null)[]; children?: ReactNode }) {
  const { label, items } = props
  // What is read out contains what is seen, so that who speaks to the machine can say it.
  const content = props.children ? <NamedBy label={label}>{props.children}</NamedBy> : dots
  const name = props.children ? {} : { 'aria-label': label }
  const [isAsked, setAsked] = useState(false)
  const closed = (
    <button
      type="button"
      {...name}
      aria-haspopup="menu"
      aria-expanded={false}
      className={look}
      onPointerEnter={() => void read()}
      onFocus={() => void read()}
      onClick={() => setAsked(true)}
    >
      {content}
    </button>
  )
  if (!isAsked) return closed
  return (
    <Suspense fallback={closed}>
      <OpenMenu name={name} items={items} className={look}>
        {content}
      </OpenMenu>
    </Suspense>
  )
}

const dots = <Ellipsis size={16} aria-hidden />

function NamedBy({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      {children}
      <span className="sr-only">{label}</span>
    </>
  )
}
