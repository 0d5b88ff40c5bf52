/** The three-dot menu of a page, and other menus. */
import { Ellipsis } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'

export type MenuItem = {
  readonly text: string
  readonly onSelect: () => void
  readonly danger?: boolean
  /** Why the item is disabled. It stays focusable, so that the reason can be read. */
  readonly disabledReason?: string | null
}

const loadMenu = () => import('./menu-open.tsx')
const OpenMenu = lazy(loadMenu)

const buttonClass =
  'inline-flex min-h-8 items-center gap-2 rounded-control border border-edge bg-surface px-3 font-bold hover:bg-sunken max-md:min-h-11'

/** A null between items is a separator. */
export function Menu(props: { label: string; items: readonly (MenuItem | null)[]; children?: ReactNode }) {
  const { label, items } = props
  // The accessible name contains the visible text, so that voice control works.
  const content = props.children ? <WithHiddenLabel label={label}>{props.children}</WithHiddenLabel> : dots
  const name = props.children ? {} : { 'aria-label': label }
  const [wasOpened, setWasOpened] = useState(false)
  const closed = (
    <button
      type="button"
      {...name}
      aria-haspopup="menu"
      aria-expanded={false}
      className={buttonClass}
      onPointerEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
      onClick={() => setWasOpened(true)}
    >
      {content}
    </button>
  )
  if (!wasOpened) return closed
  return (
    <Suspense fallback={closed}>
      <OpenMenu name={name} items={items} className={buttonClass}>
        {content}
      </OpenMenu>
    </Suspense>
  )
}

const dots = <Ellipsis size={16} aria-hidden />

function WithHiddenLabel({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      {children}
      <span className="sr-only">{label}</span>
    </>
  )
}
