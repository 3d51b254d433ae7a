/* Versions 2 and 3 of the schema, which are made up, to test migration: a program has them between
 * made_up_begin() and made_up_end(). Step 2 makes all tables anew (`annotation` has an author),
 * step 3 adds one (`note` has a row for each run). */
#ifndef MADE_UP_VERSIONS_H
#define MADE_UP_VERSIONS_H

void made_up_begin(void);
void made_up_end(void); /* the real ones are in force again; harmless where they are */

#endif
