/** A value once nobody has changed it for a moment: what a form asks the server while somebody types. */
import { useEffect, useState } from 'react'

/** So long after the last key. */
const quietMs = 300

export function useQuiet<Value>(value: Value): Value {
  const [quiet, setQuiet] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(JSON.parse(text)), quietMs)
    return () => clearTimeout(timer)
  }, [text])
  return quiet
}
