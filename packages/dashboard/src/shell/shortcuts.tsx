/** Keyboard shortcuts that open pages, and the dialog that lists them. */
import { useEffect, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField } from '../ui/fields.tsx'
import { useOpenPage } from '../ui/link.tsx'
import { areShortcutsEnabled, isTyping, setShortcutsEnabled } from './keys.ts'
import { navigationPages } from './navigation.ts'

/** The time in which the second key must follow `g`. */
const prefixTimeoutMs = 1_500

type Open = (dialog: 'palette' | 'keys') => void

/** Shortcuts are disabled while a dialog is open. */
export function useShortcuts(open: Open, isDialogOpen: boolean): void {
  const openPage = useOpenPage()
  useEffect(() => {
    const onShortcut = keyHandler(openPage, open)
    const onKey = (event: KeyboardEvent) => {
      if (isSearch(event)) {
        event.preventDefault()
        open('palette')
      } else if (!isDialogOpen && !isTyping(event) && areShortcutsEnabled() && !hasModifier(event))
        onShortcut(event)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [openPage, open, isDialogOpen])
}

function isSearch({ metaKey, ctrlKey, key }: KeyboardEvent): boolean {
  return (metaKey || ctrlKey) && key.toLowerCase() === 'k'
}

function hasModifier({ metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  return metaKey || ctrlKey || altKey
}

function keyHandler(openPage: (to: string) => void, open: Open): (event: KeyboardEvent) => void {
  let prefixAt = Number.NEGATIVE_INFINITY
  return (event) => {
    const isAfterPrefix = event.timeStamp - prefixAt < prefixTimeoutMs
    prefixAt = event.key === 'g' && !isAfterPrefix ? event.timeStamp : Number.NEGATIVE_INFINITY
    const page = isAfterPrefix ? navigationPages.find(({ key }) => key === event.key) : undefined
    if (page !== undefined) openPage(page.to)
    else if (event.key === '?') open('keys')
    else if (event.key === '/') focusFilter(event)
  }
}

function focusFilter(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('[data-filter]')
  if (field === null) return
  event.preventDefault()
  field.focus()
}

const otherShortcuts: readonly (readonly [keys: string, text: string])[] = [
  ['Ctrl K', 'Search, or open any ID'],
  ['/', 'Focus the filter'],
  ['j, k', 'Next or previous row'],
  ['Enter', 'Open the selected row'],
  ['`', 'Show API calls'],
  ['?', 'Show this list'],
]

export function ShortcutsDialog({ close }: { close: () => void }) {
  const [isOn, setOn] = useState(areShortcutsEnabled)
  const pageShortcuts = navigationPages
    .filter(({ key }) => key !== undefined)
    .map(({ key, text }) => [`g ${key}`, text] as const)
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {[...otherShortcuts, ...pageShortcuts].map(([keys, text]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded-chip border border-edge px-1.5 font-mono text-compact">{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label="Enable single-key shortcuts"
        hint="Ctrl K always works."
        checked={isOn}
        onChange={(on) => {
          setShortcutsEnabled(on)
          setOn(on)
        }}
      />
    </Dialog>
  )
}
