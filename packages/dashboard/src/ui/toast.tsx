/** A short confirmation message, which screen readers announce. */
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

const Context = createContext<(text: string) => void>(() => {})
const showMs = 5_000

export function useToast(): (text: string) => void {
  return useContext(Context)
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [texts, setTexts] = useState<readonly { id: number; text: string }[]>([])
  const showToast = useCallback((text: string) => {
    const id = performance.now()
    setTexts((before) => [...before.slice(-2), { id, text }])
    setTimeout(() => setTexts((before) => before.filter((toast) => toast.id !== id)), showMs)
  }, [])
  return (
    <Context value={showToast}>
      {children}
      <div role="status" className="fixed right-4 bottom-4 z-30 grid max-w-[calc(100vw-32px)] gap-2">
        {texts.map(({ id, text }) => (
          <p key={id} className="rounded-panel bg-ink px-4 py-3 text-surface shadow-overlay">
            {text}
          </p>
        ))}
      </div>
    </Context>
  )
}
