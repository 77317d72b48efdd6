/** What a button that rows and cards repeat is pressed for; not seen, since it stands beside it, and said after its label. */
export const Of = ({ what }: { readonly what: string }) => <span class="unseen"> {what}</span>
