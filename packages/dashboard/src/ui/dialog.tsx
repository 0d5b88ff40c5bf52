/** A native modal dialog, which traps focus and restores it on close. */
import { X } from 'lucide-react'
import { type ReactNode, useId, useRef } from 'react'
import { IconButton } from './button.tsx'
import { useModal } from './modal.ts'

export function Dialog(props: {
  title: string
  onClose: () => void
  children: ReactNode
  wide?: boolean
  /** A short text below the title. */
  intro?: ReactNode
}) {
  const { title, onClose, children, wide = false, intro } = props
  const box = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useModal(box)
  return (
    <dialog
      ref={box}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className={`m-auto max-h-[calc(100dvh-32px)] w-full max-w-[calc(100vw-24px)] overflow-auto rounded-dialog border border-edge bg-surface p-0 text-ink shadow-overlay ${wide ? 'md:max-w-240' : 'md:max-w-140'}`}
    >
      <div className="flex items-start justify-between gap-4 border-b border-line px-4 py-3">
        <h2 id={titleId} className="text-section font-bold">
          {title}
        </h2>
        <IconButton label="Close" variant="quiet" compact onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <div className="grid grid-cols-1 gap-4 p-4">
        {intro !== undefined && <div className="text-ink2">{intro}</div>}
        {children}
      </div>
    </dialog>
  )
}
