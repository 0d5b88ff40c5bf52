/** The logo of Switchyard: one rail that splits into two. */
const lines = '<path d="M2 17h20M2 17h6c5 0 5-10 10-10h4"/><circle cx="8" cy="17" r="2.4"/>'

/** Inline, in the colour of the surrounding text. */
export const logo = `<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">${lines}</svg>`

/** The favicon file, for light and dark themes. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>path{fill:none;stroke:#1b211e;stroke-width:2.5}circle{fill:#1b4f9c}@media(prefers-color-scheme:dark){path{stroke:#ecebe4}circle{fill:#93b8f5}}</style>${lines}</svg>
`
