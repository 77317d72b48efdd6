export const NotFound = () => (
  <div class="empty">
    <h1>There is no such page</h1>
    <p>
      The address may be mistyped. <a href="/">Go to the inbox</a>, or press <kbd>?</kbd> for what there is.
    </p>
  </div>
)
