/** A menu that somebody has asked for: the library of it is read then, and not before. */
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import type { MenuItem } from './menu.tsx'

const entry =
  'grid cursor-pointer rounded-control px-3 py-1.5 outline-none data-highlighted:bg-lock-soft data-highlighted:text-lock'

export default function OpenMenu(props: {
  name: { readonly 'aria-label'?: string }
  items: readonly (MenuItem | null)[]
  className: string
  children: ReactNode
}) {
  const { name, items, className, children } = props
  const trigger = useRef<HTMLButtonElement>(null)
  const chosen = useRef<(() => void) | null>(null)
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger ref={trigger} {...name} className={className}>
        {children}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          // What is chosen happens when the focus is back, so that a dialog can give it back in its turn.
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            trigger.current?.focus()
            chosen.current?.()
            chosen.current = null
          }}
          className="z-20 min-w-50 rounded-panel border border-edge bg-surface p-1 shadow-overlay"
        >
          {items.map((item, index) => {
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name, and items do not move.
            if (item === null) return <DropdownMenu.Separator key={index} className="my-1 h-px bg-line" />
            const { text, onSelect, danger = false, refused = null } = item
            return (
              <DropdownMenu.Item
                key={text}
                className={`${entry} ${danger ? 'text-danger' : ''} ${refused === null ? '' : 'cursor-not-allowed text-ink3'}`}
                aria-disabled={refused !== null}
                onSelect={(event) => {
                  if (refused === null) chosen.current = onSelect
                  else event.preventDefault()
                }}
              >
                {text}
                {refused !== null && <span className="max-w-60 text-compact">{refused}</span>}
              </DropdownMenu.Item>
            )
          })}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
