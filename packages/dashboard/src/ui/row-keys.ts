/** j and k move between the rows of a list, Enter opens one. Keys typed into a field are ignored. */
import { useEffect, useState } from 'react'
import { areShortcutsEnabled, isTyping } from '../shell/keys.ts'

export function useRowKeys(
  count: number,
  open: (index: number) => void,
  show: (index: number) => void,
): number | null {
  const [current, setCurrent] = useState<number | null>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isRowShortcut(event)) return
      if (current !== null && isOpenKey(event)) open(current)
      const step = steps[event.key]
      if (step === undefined || count === 0) return
      const next = nextOf(current, step, count)
      setCurrent(next)
      show(next)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [count, current, open, show])
  return current
}

function nextOf(current: number | null, step: number, count: number): number {
  return current === null ? 0 : Math.max(0, Math.min(count - 1, current + step))
}

const steps: { readonly [key: string]: 1 | -1 } = { j: 1, k: -1 }

function isRowShortcut(event: KeyboardEvent): boolean {
  return !isTyping(event) && areShortcutsEnabled() && !event.ctrlKey && !event.metaKey && !event.altKey
}

/** Enter is handled by the focused element if it is interactive. */
function isOpenKey({ key, target }: KeyboardEvent): boolean {
  return (
    key === 'Enter' && (target as Element).closest('a, button, summary, [role="menuitem"], dialog') === null
  )
}
