/* Made-up versions 2 and 3 of the schema, to test migration. The store uses them between
 * made_up_begin() and made_up_end(). Step 2 makes all tables again (`annotation` gets an author);
 * step 3 adds the table `note` with a row for each run. */
#ifndef MADE_UP_VERSIONS_H
#define MADE_UP_VERSIONS_H

void made_up_begin(void);
void made_up_end(void); /* makes the real versions valid again; does nothing if they are */

#endif
