/** A debounced value, for requests that a form sends while the user types. */
import { useEffect, useState } from 'react'

/** The delay after the last change. */
const delayMs = 300

export function useDebounced<Value>(value: Value): Value {
  const [debounced, setDebounced] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(JSON.parse(text)), delayMs)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}
