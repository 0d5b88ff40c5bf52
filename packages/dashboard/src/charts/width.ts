/** The available width, so that charts are drawn in real pixels and their text stays readable on a phone. */
import { type RefObject, useEffect, useRef, useState } from 'react'

export function useWidth<Element extends HTMLElement>(): [
  box: RefObject<Element | null>,
  width: number | null,
] {
  const box = useRef<Element>(null)
  const [width, setWidth] = useState<number | null>(null)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [box, width]
}
