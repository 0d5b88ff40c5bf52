/** Arrow keys move between the nodes; only the current node is a tab stop. */
import { type KeyboardEvent, useRef, useState } from 'react'

const steps: { readonly [key: string]: number } = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

export function useRovingFocus(count: number) {
  const list = useRef<HTMLDivElement>(null)
  const [requested, setCurrent] = useState(0)
  const current = Math.min(requested, Math.max(0, count - 1))
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = Math.max(0, Math.min(count - 1, current + step))
    setCurrent(next)
    list.current?.querySelectorAll('button')[next]?.focus()
  }
  return {
    list,
    onKeyDown,
    setCurrent,
    tabIndexOf: (index: number) => (index === current ? 0 : -1),
  }
}
