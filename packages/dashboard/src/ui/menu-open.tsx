/** An open menu. This module and its library are loaded on demand. */
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import type { MenuItem } from './menu.tsx'

const entry =
  'grid cursor-pointer rounded-control px-3 py-1.5 outline-none data-highlighted:bg-info-soft data-highlighted:text-info'

export default function OpenMenu(props: {
  name: { readonly 'aria-label'?: string }
  items: readonly (MenuItem | null)[]
  className: string
  children: ReactNode
}) {
  const { name, items, className, children } = props
  const trigger = useRef<HTMLButtonElement>(null)
  const pendingAction = useRef<(() => void) | null>(null)
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger ref={trigger} {...name} className={className}>
        {children}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          // Run the action after the focus has returned, so that a dialog can restore it on close.
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            trigger.current?.focus()
            pendingAction.current?.()
            pendingAction.current = null
          }}
          className="z-20 min-w-50 rounded-panel border border-edge bg-surface p-1 shadow-overlay"
        >
          {items.map((item, index) => {
            // biome-ignore lint/suspicious/noArrayIndexKey: separators have no id, and items are never reordered.
            if (item === null) return <DropdownMenu.Separator key={index} className="my-1 h-px bg-line" />
            const { text, onSelect, danger = false, disabledReason = null } = item
            return (
              <DropdownMenu.Item
                key={text}
                className={`${entry} ${danger ? 'text-danger' : ''} ${disabledReason === null ? '' : 'cursor-not-allowed text-ink3'}`}
                aria-disabled={disabledReason !== null}
                onSelect={(event) => {
                  if (disabledReason === null) pendingAction.current = onSelect
                  else event.preventDefault()
                }}
              >
                {text}
                {disabledReason !== null && <span className="max-w-60 text-compact">{disabledReason}</span>}
              </DropdownMenu.Item>
            )
          })}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
