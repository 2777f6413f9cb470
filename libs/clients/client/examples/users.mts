// At every login: creates the account the first time, and finds it afterwards.
const user = await parley.users.ensure();
console.log(user.subject); // user-…

const { subject, expiresAt } = await parley.users.me();
console.log(subject === user.subject, new Date(expiresAt) > new Date()); // true true
