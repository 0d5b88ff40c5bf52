/** Opens a modal dialog, moves the focus into it, and restores the focus on close. */
import { type RefObject, useEffect } from 'react'

/** Focus the first field, if there is one: the browser would focus the close button. */
const firstField = 'input:not([type="hidden"]), select, textarea'

export function useModal(box: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const opener = document.activeElement
    const dialog = box.current
    dialog?.showModal()
    const autofocused = dialog?.querySelector<HTMLElement>('[data-autofocus]')
    const first = autofocused ?? dialog?.querySelector<HTMLElement>(firstField)
    first?.focus()
    return () => {
      dialog?.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [box])
}
