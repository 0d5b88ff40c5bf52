/** Keys that lead somewhere, and the list of them. */
import { useEffect, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField } from '../ui/fields.tsx'
import { useGo } from '../ui/link.tsx'
import { areKeysOn, isTyping, turnKeys } from './keys.ts'
import { places } from './navigation.ts'

/** So long after `g` the next key says where to. */
const waitMs = 1_500

type Open = (what: 'palette' | 'keys') => void

/** `isBusy`: something lies over the page, so letters are not for it. */
export function useShortCuts(open: Open, isBusy: boolean): void {
  const go = useGo()
  useEffect(() => {
    const onLetter = letters(go, open)
    const onKey = (event: KeyboardEvent) => {
      if (isSearch(event)) {
        event.preventDefault()
        open('palette')
      } else if (!isBusy && !isTyping(event) && areKeysOn() && !isHeld(event)) onLetter(event)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [go, open, isBusy])
}

function isSearch({ metaKey, ctrlKey, key }: KeyboardEvent): boolean {
  return (metaKey || ctrlKey) && key.toLowerCase() === 'k'
}

function isHeld({ metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  return metaKey || ctrlKey || altKey
}

function letters(go: (to: string) => void, open: Open): (event: KeyboardEvent) => void {
  let goingSince = Number.NEGATIVE_INFINITY
  return (event) => {
    const isGoing = event.timeStamp - goingSince < waitMs
    goingSince = event.key === 'g' && !isGoing ? event.timeStamp : Number.NEGATIVE_INFINITY
    const place = isGoing ? places.find(({ key }) => key === event.key) : undefined
    if (place !== undefined) go(place.to)
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

const others: readonly (readonly [keys: string, text: string])[] = [
  ['Ctrl K', 'Search, or go to any id'],
  ['/', 'Filter the list'],
  ['j, k', 'Next, previous row'],
  ['Enter', 'Open the row'],
  ['`', 'Calls of this page'],
  ['?', 'This list'],
]

export function ShortCuts({ close }: { close: () => void }) {
  const [isOn, setOn] = useState(areKeysOn)
  const going = places
    .filter(({ key }) => key !== undefined)
    .map(({ key, text }) => [`g ${key}`, text] as const)
  return (
    <Dialog title="Keys" onClose={close}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {[...others, ...going].map(([keys, text]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded-chip border border-edge px-1.5 font-mono text-compact">{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label="Single keys are on"
        hint="Ctrl K works in any case."
        checked={isOn}
        onChange={(on) => {
          turnKeys(on)
          setOn(on)
        }}
      />
    </Dialog>
  )
}
